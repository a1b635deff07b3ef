internal import RxHost
internal import RxProtocol

/// The newest value of each level that the client of one subscription has been sent, or that is written and on its way.
struct SentLevels {
    private var values: [EncodedEvent.Level: LevelValue] = [:]

    /// The client has these levels in a snapshot.
    mutating func record(_ levels: ActionLevels, of source: Hosted, on channels: Channel.Set) {
        let source = ObjectIdentifier(source)
        if channels.contains(.executing) {
            values[.init(source: source, channel: .executing)] = .executing(levels.executing)
        }
        if channels.contains(.enabled) {
            values[.init(source: source, channel: .enabled)] = LevelValue(levels.enabled)
        }
    }

    /// Records an event that is about to be written.
    ///
    /// - Returns: whether it is news: after a level came and went while the client was slow, only the newest value is
    ///   left, which may be the one sent before.
    mutating func record(_ event: EncodedEvent) -> Bool {
        guard let value = event.value, let level = event.level else { return true }
        return values.updateValue(value, forKey: level) != value
    }

    mutating func forget(_ source: Hosted) {
        for channel in [Channel.Set.executing, .enabled] {
            values[.init(source: ObjectIdentifier(source), channel: channel)] = nil
        }
    }
}
