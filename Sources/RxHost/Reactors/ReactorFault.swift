public import RxJSON

/// A failure in a reactor, which lives on.
public struct ReactorFault: Error, Sendable, Hashable {
    /// Where a failure happened.
    public enum Stage: String, Sendable, CaseIterable {
        /// While actions, mutations, or states were transformed.
        case transform
        /// While an action was turned into mutations.
        case mutate
        /// While a mutation was turned into a state.
        case reduce
        /// A stream that is merged into the mutations has failed.
        case merge
        /// The stored state does not belong to this reactor.
        case restore
        /// The state would exceed its limit.
        case size
        /// A program took longer, or more memory, than it may.
        case limit
        /// The reactor is stopping.
        case stopped
    }

    /// Where the failure happened.
    public var stage: Stage
    /// What is wrong, as one line.
    public var message: String
    /// The value that failed; nil if it is not known or too large to report. Only for users who may subscribe to the
    /// reactor.
    public var input: RawJSON?
    /// The program that failed; nil if none did, or if the reactor has no programs.
    public var place: ProgramPlace?
    /// Whether a stopped engine knows that the action led to no mutation and started nothing, so that another engine
    /// may carry it out.
    public var isWithoutEffect = false
    /// Whether the reactor's rules refuse the action, and nothing has failed. Such a fault is not published.
    public var isRefusal = false
    /// Whether everybody who may dispatch may read `message`: it was written by the operator or is part of the daemon.
    /// Another one may have values of the state.
    public var isPublic: Bool

    /// A fault of no program, whose input is not known and whose message everybody may read, unless given.
    public init(
        _ stage: Stage, _ message: String, input: RawJSON? = nil, at place: ProgramPlace? = nil, isPublic: Bool = true
    ) {
        self.stage = stage
        self.message = message
        self.input = input
        self.place = place
        self.isPublic = isPublic
    }

    /// The message with its place: `FILE:LINE: mutate[1].mutation: MESSAGE`.
    public var text: String { at(message) }

    /// The message with its place, for users who may not subscribe to the reactor: without a text that may have values.
    public var publicText: String {
        isPublic ? text : at("failed; users who may subscribe to the reactor see the message")
    }

    private func at(_ message: String) -> String { place.map { "\($0): \(message)" } ?? message }
}
