import Dispatch
import Rx
import RxTest

extension MarbleReplay {
    static let all =
        creation + element + combining + time + sharing + refCounting + relays + retaining + infallible
        + infallibleSharing + conversion + primitiveSequence + single + maybe + completable + sharedSequence
        + intoSharedSequence + sharingStrategies

    static let sharing: [MarbleReplay] = {
        var add = MarbleReplays("ObservableType")
        add.lines("multicast(PublishSubject())") { connected($0, $0.source.multicast(PublishSubject())) }
        add.lines("multicast { PublishSubject() }") { connected($0, $0.again.multicast { PublishSubject() }) }
        add.lines("publish()") { connected($0, $0.source.publish()) }
        add.lines("replay(2)") { connected($0, $0.source.replay(2)) }
        add.lines("replayAll()") { connected($0, $0.source.replayAll()) }
        add("multicast({ PublishSubject() }) { Observable.zip($0, $0.skip(1)) }") { m in
            m.source.multicast({ PublishSubject() }) { Observable.zip($0, $0.skip(1)) }.map { "\($0),\($1)" }
        }
        add.lines("share(replay: 1)") { m in
            let shared = m.source.share(replay: 1)
            m.result("first", shared)
            m.result("second", shared)
        }
        add.lines("share(replay: 1, scope: .forever)") { m in
            let shared = m.source.share(replay: 1, scope: .forever)
            m.result("first", shared)
            m.result("later", shared)
        }
        add.lines("groupBy { $0 % 2 }") { m in
            m.result(
                m.source.groupBy { $0 % 2 }.map { group in
                    let name = group.key == 1 ? "a" : "b"
                    m.record(name, group.asObservable())
                    return name
                })
        }
        add.lines("window(timeSpan: 7, count: 2)") { m in
            m.result(
                m.source.window(timeSpan: .seconds(7), count: 2, scheduler: m.scheduler).enumerated()
                    .map { index, window in
                        let name = ["a", "b", "c"][index]
                        m.record(name, window)
                        return name
                    })
        }
        return add.list
    }()

    static let refCounting: [MarbleReplay] = {
        var add = MarbleReplays("ConnectableObservableType")
        add.lines("refCount()") { m in
            let counted = m.source.publish().refCount()
            m.result("first", counted)
            m.result("second", counted)
        }
        return add.list
    }()

    static let infallibleSharing: [MarbleReplay] = {
        var add = MarbleReplays("InfallibleType", "Infallible")
        add.lines("share(replay: 1)") { m in
            let shared = m.infallible("source").share(replay: 1)
            m.result("first", shared)
            m.result("second", shared)
        }
        return add.list
    }()

    private static func connected(_ m: MarbleStage, _ connectable: ConnectableObservable<Int>) {
        m.result("first", connectable)
        m.result("later", connectable)
        m.at(.subscribed, "connect") { _ = connectable.connect() }
    }

    static let relays: [MarbleReplay] = {
        var add = MarbleReplays("")
        add.lines("BehaviorRelay(value: 0)") { m in
            let relay = BehaviorRelay(value: 0)
            m.play("accept") { relay.accept($0) }
            m.result("subscriber", relay)
        }
        add.lines("PublishRelay()") { m in
            let relay = PublishRelay<Int>()
            m.play("accept") { relay.accept($0) }
            m.result("subscriber", relay)
        }
        add.lines("ReplayRelay.create(bufferSize: 2)") { m in
            let relay = ReplayRelay<Int>.create(bufferSize: 2)
            m.play("accept") { relay.accept($0) }
            m.result("subscriber", relay)
        }
        return add.list
    }()
}
