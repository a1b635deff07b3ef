import Dispatch
import Glibc
import RxJSON
import Testing

@testable import RxHost

@Suite("A store of reactors", .countedApart)
struct ReactorStoreTests {
    private func persistence(
        _ durability: ReactorPersistence.Durability = .normal, history: Int = 10_000
    ) -> ReactorPersistence {
        var persistence = ReactorPersistence()
        persistence.durability = durability
        persistence.history = history
        return persistence
    }

    @Test("gives back the newest state, at every durability", arguments: ReactorPersistence.Durability.allCases)
    func roundTrip(durability: ReactorPersistence.Durability) throws {
        let file = ReactorFile()
        for start in [0, 100, 200] {
            let store = try file.open()
            let log = store.log(of: "light", persistence(durability))
            var reactor: LoggedReactor
            if start == 0 {
                #expect(try log.kept() == nil && log.needsSnapshot)
                reactor = LoggedReactor(log)
            } else {
                reactor = try #require(try LoggedReactor(restoring: log))
                #expect(store.reactorsKept == ["light"])
            }
            #expect(reactor.revision == start && reactor.state == LoggedReactor.states(at: start))
            for _ in 0..<100 { reactor.step() }
            store.close()
        }
    }
}
