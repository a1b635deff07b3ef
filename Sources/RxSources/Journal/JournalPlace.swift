internal import RxJSON

/// Where reading begins.
enum JournalPlace: Hashable {
    /// After the records that exist.
    case end
    /// With the records that journald received at that time or later, in microseconds since 1970.
    case since(UInt64)
    /// After the record with that cursor.
    case after(String)

    /// The place of a stored position: a cursor, or `{"since"}`; without one, the end.
    init(_ position: RawJSON?) {
        switch position?.value() {
        case .string(let cursor)?: self = .after(cursor)
        case let value?: self = value["since"]?.int.map { .since(UInt64(clamping: $0)) } ?? .end
        case nil: self = .end
        }
    }

    /// The position to store; nil for the end, which moves.
    var json: RawJSON? {
        switch self {
        case .end: nil
        case .since(let microseconds): RawJSON(.object(["since": .init(Int(clamping: microseconds))]))
        case .after(let cursor): RawJSON(.string(cursor))
        }
    }
}
