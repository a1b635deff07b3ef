internal import RxTerminal

/// A level in a few words, with a shape and a color.
struct TopLevel {
    /// For a narrow column: of what is not enabled, only the reason.
    let brief: String
    let full: String
    let style: Style

    init(_ level: TopItem.Level) {
        switch level {
        case .executing: self.init("● executing", Style(.green, bold: true))
        case .finishing(let reason):
            self.init(
                "● disabled: \(reason)", full: "● executing; disabled: \(reason)", Style(.red, bold: true))
        case .enabled: self.init("○ enabled", .plain)
        case .running: self.init("● running", Style(.green))
        case .waiting(let reason): self.init("◔", "waits", reason, Style(.yellow))
        case .disabled(let reason): self.init("✕", "disabled", reason, Style(.red))
        case .ended: self.init("■ ended", .dim)
        case .revision(let revision): self.init("◆ revision \(revision)", .plain)
        case .unknown: self.init("·", .dim)
        }
    }

    private init(_ text: String, full: String? = nil, _ style: Style) {
        brief = text
        self.full = full ?? text
        self.style = style
    }

    private init(_ shape: String, _ word: String, _ reason: String, _ style: Style) {
        brief = "\(shape) \(reason.isEmpty ? word : reason)"
        full = "\(shape) \(word)" + (reason.isEmpty ? "" : ": \(reason)")
        self.style = style
    }
}
