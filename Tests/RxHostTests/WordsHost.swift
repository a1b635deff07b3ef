import Rx
import RxJSON
import RxReactor
import Testing

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// Keeps its actions; one such as `a+b` is two mutations, and `wait` has those that its stream sends.
private final class Words: Reactor {
    typealias Action = String
    typealias Mutation = String
    typealias State = [String]

    let initialState: [String] = []
    let store = Store()
    let stream: PublishSubject<String>
    let merged: PublishSubject<String>
    let seen: Heard<String>

    init(_ stream: PublishSubject<String>, _ merged: PublishSubject<String>, _ seen: Heard<String>) {
        (self.stream, self.merged, self.seen) = (stream, merged, seen)
    }

    func mutate(action: String) -> Observable<String> {
        seen.add(action)
        return action == "wait" ? stream.asObservable() : .from(action.split(separator: "+").map(String.init))
    }

    func transform(mutation: Observable<String>) -> Observable<String> { .merge(mutation, merged) }

    func reduce(state: [String], mutation: String) -> [String] { state + [mutation] }
}

extension ReactorCoding<Words> {
    fileprivate static let words = ReactorCoding(
        action: { json throws(InputFault) in
            guard let text = json.value().string else { throw InputFault(path: "", message: "must be a string") }
            return text
        },
        mutation: { RawJSON(.string($0)) },
        replayed: { $0.value().string },
        state: { JSONState(.array($0.map { .string($0) })) },
        restored: { $0.array?.compactMap(\.string) })
}

/// A host with reactors of words, on a disk that the test makes fail.
final class WordsHost: Sendable {
    let file = ReactorFile()
    let store: StateStore
    let host: Host
    /// What `wait` waits for, and what comes without a dispatch.
    let stream = PublishSubject<String>()
    let merged = PublishSubject<String>()
    /// The actions that an engine has begun.
    let seen = Heard<String>()
    let answers = Heard<String>()

    init(
        _ durability: ReactorPersistence.Durability, names: [String] = ["words"],
        waitingBytes: Int = StoreLimits.waitingBytes, retryDelay: Duration = .seconds(1000)
    ) throws {
        store = try file.open(waitingBytes: waitingBytes, retryDelay: retryDelay)
        let (stream, merged, seen) = (stream, merged, seen)
        host = Host(
            reactors: names.map { Self.definition($0, durability, stream, merged, seen) }, stateStore: store)
        try host.startReactors()
        store.writes.flush()
    }

    static func definition(
        _ name: String = "words", _ durability: ReactorPersistence.Durability?, _ stream: PublishSubject<String>,
        _ merged: PublishSubject<String>, _ seen: Heard<String>, fingerprint: String = "one"
    ) -> ReactorDefinition {
        var definition = ReactorDefinition(
            name: name, kind: "test", fingerprint: fingerprint, coding: .words,
            make: { Words(stream, merged, seen) })
        definition.persistence = durability.map { .made($0) }
        return definition
    }

    func definition(_ durability: ReactorPersistence.Durability?, fingerprint: String = "one") -> ReactorDefinition {
        Self.definition("words", durability, stream, merged, seen, fingerprint: fingerprint)
    }

    var reactor: HostedReactor { host.registry.reactor("words")! }
    var state: [String] { state(of: "words") }
    func state(of name: String) -> [String] {
        host.registry.reactor(name)!.now.state.tree.array?.compactMap(\.string) ?? []
    }

    /// Dispatches, and adds the answer to `answers`.
    func send(_ action: String, to name: String = "words") {
        host.registry.reactor(name)!.dispatch(RawJSON(.string(action)), by: .host) { [answers] result in
            answers.add("\(action.prefix(8)): \(Self.word(result))")
        }
    }

    func dispatch(_ action: String) async -> String {
        await withCheckedContinuation { continuation in
            reactor.dispatch(RawJSON(.string(action)), by: .host) { continuation.resume(returning: Self.word($0)) }
        }
    }

    private static func word(_ result: Result<UInt64, DispatchRefusal>) -> String {
        switch result {
        case .success(let revision): "\(revision)"
        case .failure(.notKept): "not stored"
        case .failure(let refusal): "\(refusal)"
        }
    }

    /// The disk takes no more writes, or takes them again.
    func disk(fails: Bool) throws { try store.disk(fails: fails) }

    /// The steps of the history, such as `1 3loss`.
    func history() async throws -> String {
        store.writes.flush()
        return try await reactor.keptLog?.history().steps.map { "\($0.revision)\($0.cause?.rawValue ?? "")" }
            .joined(separator: " ") ?? "none"
    }

    func stop() async {
        await withCheckedContinuation { continuation in host.stop { continuation.resume() } }
        store.close()
    }

    /// The state with which a later daemon begins.
    func kept(_ name: String = "words") throws -> [String] {
        let again = try file.open()
        defer { again.close() }
        return try again.log(of: name, .made()).restore()?.value.array?.compactMap(\.string) ?? []
    }
}
