public import RxRecords

/// The output of an execution on its way to the disk. It is packed on a queue of the store, not by the caller.
public struct StorableOutput: Sendable {
    /// The approximate memory that it uses.
    public let bytes: Int
    private let pack: @Sendable () -> KeptOutput?

    /// - Parameters:
    ///   - bytes: the approximate memory that `pack` uses.
    ///   - pack: makes what is stored; nil if there is nothing. May be called several times.
    public init(bytes: Int, pack: @escaping @Sendable () -> KeptOutput?) {
        self.bytes = bytes
        self.pack = pack
    }

    /// What is stored; nil if there is nothing.
    public var kept: KeptOutput? { pack() }
}
