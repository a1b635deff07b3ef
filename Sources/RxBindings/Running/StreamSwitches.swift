internal import RxRecords
internal import RxTime

/// What keeps a stream from running: a switch by hand, and a condition that does not hold.
struct StreamSwitches: Sendable {
    var manual: ManualSwitch?
    /// Why the condition does not hold, in a sentence without a period; nil if it does, or if there is none.
    var unmet: String?
    /// Whether the condition has not been evaluated yet.
    var isUndecided: Bool
    /// Whether the stream was disabled since it began: what came due meanwhile is not owed.
    private(set) var wasDisabled = false

    init(manual: ManualSwitch?, hasCondition: Bool) {
        self.manual = manual
        isUndecided = hasCondition
        noteReason()
    }

    /// Why the stream is disabled, in a sentence without a period; nil if it is not.
    var reason: String? {
        if let manual { return manual.text }
        return isUndecided ? "its condition has not been evaluated yet" : unmet
    }

    mutating func noteReason() {
        if manual != nil || unmet != nil { wasDisabled = true }
    }

    /// - Returns: whether the stream was disabled since the last call.
    mutating func takeWasDisabled() -> Bool {
        defer { wasDisabled = false }
        return wasDisabled
    }
}

extension ManualSwitch {
    /// Since when something is switched off, by whom, and why.
    var text: String {
        "switched off since \(TimeText.utc(Instant(microseconds: since * 1000))) by \(by)"
            + (reason.map { ": \($0)" } ?? "")
    }
}
