internal import Glibc

/// The signals that the process does not wait for; RxLoop watches the others.
public struct Signals: Sendable {
    /// Ignores a signal from now on.
    public var ignore: @Sendable (_ signal: Int32) -> Void

    /// - Parameter ignore: ignores a signal from now on.
    public init(ignore: @escaping @Sendable (_ signal: Int32) -> Void) { self.ignore = ignore }

    /// The signals of the process.
    public static let system = Signals { _ = signal($0, SIG_IGN) }
}
