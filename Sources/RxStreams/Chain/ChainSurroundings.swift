internal import RxJSON

/// What a chain is part of: the stream, a group, or an executing step.
struct ChainSurroundings {
    /// The place of the step around it, for people; empty for the chain of the stream.
    let place: String
    /// The place of the step around it, with the keys of groups; empty for the chain of the stream.
    let path: String
    let rank: StepRank
    let scope: StateScope
    /// Whether a failure ends the chain instead of dropping one element.
    let isInnerStream: Bool
    /// The key of the innermost group; nil outside of groups.
    let key: RawJSON?

    /// The chain of a stream.
    init(_ scope: StateScope) {
        place = ""
        path = ""
        rank = .last
        self.scope = scope
        isInnerStream = false
        key = nil
    }

    private init(
        _ step: StepContext, path: String, rank: StepRank, _ scope: StateScope, isInnerStream: Bool, key: RawJSON?
    ) {
        place = step.place
        self.path = path
        self.rank = rank
        self.scope = scope
        self.isInnerStream = isInnerStream
        self.key = key
    }

    /// The chain of a group.
    static func group(_ key: RawJSON, _ number: Int, of step: StepContext, _ scope: StateScope) -> Self {
        Self(
            step, path: step.path(of: key), rank: step.rank.part(-number), scope,
            isInnerStream: step.surroundings.isInnerStream, key: key)
    }

    /// The chain of an inner stream.
    static func innerStream(of step: StepContext, _ scope: StateScope) -> Self {
        Self(step, path: step.path, rank: step.rank, scope, isInnerStream: true, key: step.surroundings.key)
    }

    /// The name of a step, counted from 1.
    func part(_ prefix: String, _ number: Int) -> String { prefix.isEmpty ? "\(number)" : "\(prefix).\(number)" }
}
