/// A change of a zone's clock.
struct ZoneChange: Hashable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    let time: Int64
    /// What applies from then on.
    let type: LocalTimeType
}
