/// Why a reload changed nothing.
public enum ReloadFailure: Error, Sendable, Hashable {
    /// The configuration has these faults, a line each.
    case faults([String])
    /// `limit` reloads wait already.
    case full(limit: Int)
    /// The daemon is stopping.
    case stopping
}
