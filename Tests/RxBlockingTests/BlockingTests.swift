import Dispatch
import Rx
import RxBlocking
import TestSupport
import Testing

@Suite("Blocking", .leakFree)
struct BlockingTests {
    private let failing = Observable.of(1, 2).concat(Observable.error(Oops()))
    private let elsewhere = SerialDispatchQueueScheduler(qos: .default)

    @Test("toArray gives all elements, or throws the error")
    func toArray() throws {
        #expect(try Observable.of(1, 2, 3).toBlocking().toArray() == [1, 2, 3])
        #expect(try Observable<Int>.empty().toBlocking().toArray() == [])
        #expect(throws: Oops.self) { try failing.toBlocking().toArray() }
        #expect(try Observable.of(1, 2, 3).observe(on: elsewhere).toBlocking(timeout: 10).toArray() == [1, 2, 3])
    }

    @Test("first gives the first element and disposes")
    func first() throws {
        let disposals = Locked(0)
        let source = Observable.of(1, 2).concat(Observable.never()).do(onDispose: { disposals.withLock { $0 += 1 } })
        #expect(try source.toBlocking(timeout: 10).first() == 1)
        #expect(disposals.withLock { $0 } == 1)
        #expect(try Observable<Int>.empty().toBlocking().first() == nil)
        #expect(try failing.toBlocking().first() == 1)
        #expect(throws: Oops.self) { try Observable<Int>.error(Oops()).toBlocking().first() }
    }

    @Test("last gives the last element of a sequence that completes")
    func last() throws {
        #expect(try Observable.of(1, 2, 3).toBlocking().last() == 3)
        #expect(try Observable<Int>.empty().toBlocking().last() == nil)
        #expect(throws: Oops.self) { try failing.toBlocking().last() }
    }

    @Test("single wants exactly one element")
    func single() throws {
        #expect(try Observable.just(7).toBlocking().single() == 7)
        #expect(error { try Observable<Int>.empty().toBlocking().single() } == "noElements")
        #expect(
            error { try Observable.of(1, 2).concat(Observable.never()).toBlocking().single() } == "moreThanOneElement")
        #expect(throws: Oops.self) { try Observable<Int>.error(Oops()).toBlocking().single() }
    }

    @Test("single with a predicate wants exactly one that fulfils it")
    func singleWhere() throws {
        #expect(try Observable.of(1, 2, 3).toBlocking().single { $0 == 2 } == 2)
        #expect(error { try Observable.of(1, 2, 3).toBlocking().single { $0 > 3 } } == "noElements")
        #expect(error { try Observable.of(1, 2, 3).toBlocking().single { $0 > 1 } } == "moreThanOneElement")
        #expect(throws: Oops.self) { try Observable.of(1, 2, 3).toBlocking().single { _ in throw Oops() } }
    }

    @Test("materialize gives the elements and the end")
    func materialize() {
        guard case .completed(elements: [1, 2]) = Observable.of(1, 2).toBlocking().materialize() else {
            Issue.record("not completed with both"); return
        }
        guard case .failed(elements: [1, 2], error: is Oops) = failing.toBlocking().materialize() else {
            Issue.record("not failed with both"); return
        }
    }

    @Test("a timeout throws, with what came before")
    func timeout() {
        #expect(error { try Observable<Int>.never().toBlocking(timeout: 0.01).first() } == "timeout")
        let source = Observable.of(1).concat(Observable<Int>.never())
        guard case .failed(elements: [1], error: RxError.timeout) = source.toBlocking(timeout: 0.01).materialize()
        else {
            Issue.record("no timeout after one element"); return
        }
    }

    @Test("elements that come before the timeout are in time")
    func inTime() throws {
        let source = Observable<Int>.interval(.milliseconds(1), scheduler: elsewhere).take(3)
        #expect(try source.toBlocking(timeout: 10).toArray() == [0, 1, 2])
    }

    @Test("waiting within a delivery of the same thread ends, too")
    func nested() throws {
        let source = Observable.of(1, 2).map { number in
            try Observable.of(number, number * 10).toBlocking(timeout: 10).toArray()
        }
        #expect(try source.toBlocking(timeout: 10).toArray() == [[1, 10], [2, 20]])
    }

    @Test("on the main queue, what MainScheduler has to do is done meanwhile")
    @MainActor func mainQueue() throws {
        #expect(
            try Observable.of(1, 2).observe(on: MainScheduler.asyncInstance).toBlocking(timeout: 10).toArray() == [
                1, 2,
            ])
        let timer = Observable<Int>.interval(.milliseconds(1), scheduler: MainScheduler.instance).take(2)
        #expect(try timer.observe(on: MainScheduler.instance).toBlocking(timeout: 10).toArray() == [0, 1])
        #expect(error { try Observable<Int>.never().toBlocking(timeout: 0.01).first() } == "timeout")
    }

    @Test("on the main queue, a timeout ends the wait although the queue always has work")
    @MainActor func busyMainQueue() throws {
        let busy = Observable.repeatElement(1, scheduler: MainScheduler.asyncInstance).ignoreElements()
        #expect(error { try busy.toBlocking(timeout: 0.01).first() } == "timeout")
    }

    @Test("traits can be waited for")
    func traits() throws {
        #expect(try Observable.just(3).asSingle().toBlocking().single() == 3)
    }

    /// The name of the RxError that `body` throws.
    private func error<Result>(_ body: () throws -> Result) -> String? {
        do {
            _ = try body()
            return nil
        } catch RxError.noElements {
            return "noElements"
        } catch RxError.moreThanOneElement {
            return "moreThanOneElement"
        } catch RxError.timeout {
            return "timeout"
        } catch {
            return "\(error)"
        }
    }
}

private struct Oops: Error {}
