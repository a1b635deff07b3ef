import Dispatch
import Rx
import RxTest

extension MarbleReplay {
    static let time: [MarbleReplay] = {
        var add = MarbleReplays("ObservableType")
        add("buffer(timeSpan: 6, count: 2)") { m in
            m.source.buffer(timeSpan: .seconds(6), count: 2, scheduler: m.scheduler)
        }
        add("debounce(3)") { m in m.source.debounce(.seconds(3), scheduler: m.scheduler) }
        add("delay(2)") { m in m.source.delay(.seconds(2), scheduler: m.scheduler) }
        add("delaySubscription(4)") { m in m.source.delaySubscription(.seconds(4), scheduler: m.scheduler) }
        add("observe(on: s)") { m in m.source.observe(on: m.scheduler) }
        add("sample(sampler)") { m in m.source.sample(m.letters("sampler")) }
        add("sample(sampler, defaultValue: 0)") { m in m.source.sample(m.letters("sampler"), defaultValue: 0) }
        add("skip(5)") { m in m.source.skip(.seconds(5), scheduler: m.scheduler) }
        add("subscribe(on: s)") { m in m.source.subscribe(on: m.scheduler) }
        add("take(for: 5)") { m in m.source.take(for: .seconds(5), scheduler: m.scheduler) }
        add("throttle(4)") { m in m.source.throttle(.seconds(4), scheduler: m.scheduler) }
        add("throttle(4, latest: false)") { m in m.source.throttle(.seconds(4), latest: false, scheduler: m.scheduler) }
        add("timeout(4)") { m in m.source.timeout(.seconds(4), scheduler: m.scheduler) }
        add("timeout(4, other: other)") { m in m.source.timeout(.seconds(4), other: m.other, scheduler: m.scheduler) }
        add("observe(on: slow, buffering: .bounded(1, whenFull: .dropOldest))") { m in
            m.source.observe(on: Slow(scheduler: m.scheduler), buffering: .bounded(1, whenFull: .dropOldest))
        }
        return add.list
    }()
}

/// A scheduler each of whose turns comes three frames after the last one.
private struct Slow: ImmediateSchedulerType {
    let scheduler: TestScheduler

    func schedule<State: Sendable>(
        _ state: State, action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        scheduler.scheduleRelative(state, dueTime: .seconds(3), action: action)
    }
}
