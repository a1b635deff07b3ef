import RxJSON
import RxProtocol
import Testing

@testable import RxClient

@Suite("The position of a subscription")
struct SubscriptionProgressTests {
    private func opened(_ progress: inout SubscriptionProgress, at cursor: String) -> Reconnection? {
        progress.opened(RawJSON(["cursor": .string(cursor)]), at: Timestamp(milliseconds: 0))
    }

    private func event(_ channel: Channel, _ cursor: String) -> StreamEvent {
        StreamEvent(
            subscription: "s", seq: 1, channel: channel, cursor: cursor, content: .value(RawJSON(.null)),
            record: RawJSON(.null))
    }

    @Test("goes on after the last event, and after an expiry with what the daemon still has")
    func expiry() {
        var progress = SubscriptionProgress(SubscribeRequest(action: ["a"]))
        #expect(progress.next.from == .now)
        #expect(opened(&progress, at: "e:5") == nil)
        progress.lost()
        #expect(progress.next.from == .cursor("e:5"))
        progress.expired(oldest: "e:9")
        #expect(progress.next.from == .cursor("e:9") && progress.canFollowExpiry)
        let reconnection = opened(&progress, at: "e:9")
        #expect(reconnection?.isResumed == false && reconnection?.after == "e:5" && progress.cursor == "e:9")
        progress.lost()
        #expect(progress.next.from == .cursor("e:9"))
        #expect(opened(&progress, at: "e:9")?.isResumed == true)
    }

    @Test("begins with all that is there if the daemon has nothing of that log, or what it had is gone as well")
    func secondExpiry() {
        var progress = SubscriptionProgress(SubscribeRequest(action: ["a"]))
        _ = opened(&progress, at: "e:5")
        progress.lost()
        progress.expired(oldest: nil)
        #expect(progress.next.from == .start && progress.canFollowExpiry)
        _ = opened(&progress, at: "f:1")
        progress.lost()
        progress.expired(oldest: "f:9")
        progress.expired(oldest: "f:20")
        #expect(progress.next.from == .start && !progress.canFollowExpiry)
    }

    @Test("that begins with a time begins there until it gets further: the first cursor may be from before it")
    func time() {
        let time = Timestamp(milliseconds: 7)
        var progress = SubscriptionProgress(SubscribeRequest(.action(["a"]), from: .time(time)))
        _ = opened(&progress, at: "e:0")
        progress.take(event(.end, "e:0"))
        progress.lost()
        #expect(progress.next.from == .time(time))
        #expect(opened(&progress, at: "e:0")?.isResumed == true)
        progress.take(event(.errors, "e:5"))
        for _ in 0..<2 {
            progress.lost()
            #expect(progress.next.from == .cursor("e:5"))
            _ = opened(&progress, at: "e:5")
        }
    }
}
