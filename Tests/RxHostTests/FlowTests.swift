import Dispatch
import Testing
import TestSupport

@testable import RxHost

@Suite("Flow", .ownThreads)
struct FlowTests {
    @Test("calls its handler when the first hold is taken and when the last one is taken back")
    func changes() {
        let flow = Flow()
        let heard = Heard<Bool>()
        flow.onChange { heard.add($0) }
        flow.hold()
        flow.hold()
        flow.release()
        #expect(heard.values == [true])
        flow.release()
        #expect(heard.values == [true, false])
    }

    @Test("calls a handler that comes during a hold")
    func late() {
        let flow = Flow()
        let heard = Heard<Bool>()
        flow.hold()
        flow.onChange { heard.add($0) }
        #expect(heard.values == [true])
        flow.finish()
        flow.release()
        #expect(heard.values == [true])
    }

    @Test("calls its handler in order, even if a hold is taken back while the handler is called with it")
    func threads() async {
        let flow = Flow()
        let heard = Heard<Bool>()
        let (isCalled, isReleased) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        flow.onChange { isHeld in
            if isHeld {
                isCalled.signal()
                isReleased.wait()
            }
            heard.add(isHeld)
        }
        await withTaskGroup { group in
            group.addTask { flow.hold() }
            group.addTask {
                isCalled.wait()
                flow.release()
                isReleased.signal()
            }
        }
        #expect(heard.values == [true, false])
    }
}
