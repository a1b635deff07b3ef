/// Why the rules of a zone cannot be had.
public enum ZoneFault: Error, Hashable, Sendable {
    /// The name has another form than a zone's: letters, digits, and `_+-`, in parts separated by `/`.
    case invalidName(String)
    /// No file of tzdata has that name.
    case unknown(String)
    /// The file of the zone cannot be read; `errno` is the system's number.
    case unreadable(String, errno: Int32)
    /// The bytes of the file do not have the format TZif: what is wrong at which offset.
    case invalidFile(offset: Int, String)
    /// A rule such as `CET-1CEST,M3.5.0,M10.5.0/3` is malformed: what is expected at which character, from 0.
    case invalidRule(String, position: Int, expected: String)
}

extension ZoneFault: CustomStringConvertible {
    /// What is wrong and where, in one line.
    public var description: String {
        switch self {
        case .invalidName(let name): "\"\(name)\" is not the name of a time zone; use a name such as Europe/Berlin"
        case .unknown(let name): "there is no time zone \"\(name)\" in the system's tzdata"
        case .unreadable(let name, let errno): "the time zone \"\(name)\" cannot be read: \(Self.text(of: errno))"
        case .invalidFile(let offset, let reason): "the file of the time zone is damaged at byte \(offset): \(reason)"
        case .invalidRule(let rule, let position, let expected):
            "the time zone rule \"\(rule)\" is malformed at character \(position + 1): expected \(expected)"
        }
    }
}
