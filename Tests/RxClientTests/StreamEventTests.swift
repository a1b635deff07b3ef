import JSONRPC
import RxJSON
import RxProtocol
import Testing

@testable import RxClient

struct StreamEventTests {
    private func make(_ channel: Channel, _ content: StreamEvent.Content, _ record: JSONValue) -> StreamEvent {
        StreamEvent(
            subscription: "s", seq: 3, channel: channel, content: content, record: RawJSON(record))
    }

    @Test("an error has the members of the wire under their names")
    func error() throws {
        let failure = RPCError(.workFailed)
        let event = make(
            .errors, .error(failure), ["time": "2026-11-21T01:02:03.123Z", "action": "deploy", "execution": "01"])
        #expect(event.seq == 3)
        #expect(event.time?.description == "2026-11-21T01:02:03.123Z")
        #expect(event.action == "deploy")
        #expect(event.reactor == nil)
        #expect(event.stream == nil)
        #expect(event.error == failure)
        #expect(event.error?.name == "workFailed")
        #expect(event.value == nil)
    }

    @Test("a patch has its revision, an element its stream and step, and an end its reason")
    func others() throws {
        let patch = make(.state, .patch(RawJSON([])), ["reactor": "order", "patch": [], "revision": 7])
        #expect(patch.reactor == "order")
        #expect(patch.patch?.text == "[]")
        #expect(patch.revision == 7)
        let element = make(.elements, .value(RawJSON(1)), ["stream": "files", "step": "2.1", "value": 1])
        #expect(element.stream == "files")
        #expect(element.step == "2.1")
        #expect(element.error == nil)
        #expect(element.revision == nil)
        let end = make(.end, .value(RawJSON(["reason": "revoked"])), [:])
        #expect(end.reason == .revoked)
    }
}
