internal import CMalloc

/// The allocator of the process: what it keeps of memory that was freed.
public struct Allocator: Sendable {
    /// Bytes that were freed and that the allocator keeps for later. It counts them whether or not `trim` has given
    /// their pages back to the system, so it does not show what another `trim` would gain. Any thread.
    public var freeBytes: @Sendable () -> Int
    /// Bytes of memory that the process has from the system now, without those of files; nil if unknown. They shrink
    /// when `trim` gives pages back, and grow when such pages are used again. Any thread.
    public var residentBytes: @Sendable () -> Int?
    /// Gives the pages of what is free back to the system, which takes some milliseconds. Any thread.
    public var trim: @Sendable () -> Void

    /// An allocator with these calls.
    public init(
        freeBytes: @escaping @Sendable () -> Int, residentBytes: @escaping @Sendable () -> Int?,
        trim: @escaping @Sendable () -> Void
    ) {
        self.freeBytes = freeBytes
        self.residentBytes = residentBytes
        self.trim = trim
    }

    /// glibc's.
    public static let system = Allocator(
        freeBytes: { cmalloc_free_bytes() }, residentBytes: { residentBytesOfProcess() }, trim: { cmalloc_trim() })

    /// One that gives free pages back by itself, as jemalloc does: nothing is kept that `trim` could give back.
    public static let unattended = Allocator(
        freeBytes: { 0 }, residentBytes: { residentBytesOfProcess() }, trim: {})

    private static func residentBytesOfProcess() -> Int? {
        let bytes = cmalloc_resident_bytes()
        return bytes < 0 ? nil : bytes
    }
}
