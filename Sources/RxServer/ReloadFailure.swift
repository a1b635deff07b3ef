/// Why a configuration was refused.
public struct ReloadFailure: Error, Sendable {
    /// Every fault, a line each.
    public let faults: [String]

    /// A configuration with these faults.
    public init(faults: [String]) {
        self.faults = faults
    }
}
