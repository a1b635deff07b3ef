import Rx
import RxTest
import RxTraits

extension MarbleReplay {
    /// Operators that hold an object weakly.
    static let retaining: [MarbleReplay] = {
        var add = MarbleReplays("ObservableType")
        add(#"withUnretained(object) { "\($0.name)\($1)" }"#) { m in
            m.source.withUnretained(Named.alive(in: m)) { "\($0.name)\($1)" }
        }
        add("withUnretained(object)") { m in
            m.source.withUnretained(Named.alive(in: m)).map { "\($0.name),\($1)" }
        }
        var infallible = MarbleReplays("InfallibleType", "Infallible")
        infallible(#"withUnretained(object) { "\($0.name)\($1)" }"#) { m in
            m.infallible("source").withUnretained(Named.alive(in: m)) { "\($0.name)\($1)" }
        }
        infallible("withUnretained(object)") { m in
            m.infallible("source").withUnretained(Named.alive(in: m)).map { "\($0.name),\($1)" }
        }
        var signal = MarbleReplays("SharedSequenceConvertibleType", "SharedSequence")
        signal(#"withUnretained(object) { "\($0.name)\($1)" }"#) { m in
            m.signal("source").withUnretained(Named.alive(in: m)) { "\($0.name)\($1)" }
        }
        signal("withUnretained(object)") { m in
            m.signal("source").withUnretained(Named.alive(in: m)).map { "\($0.name),\($1)" }
        }
        return add.list + infallible.list + signal.list
    }()

    private final class Named: Sendable {
        let name = "o"

        /// An object that is released where the line `object` has `!`.
        static func alive(in m: MarbleStage) -> Named {
            let object = Named()
            let holder = BehaviorRelay<Named?>(value: object)
            m.at(.disposed, "object") { holder.accept(nil) }
            return object
        }
    }
}
