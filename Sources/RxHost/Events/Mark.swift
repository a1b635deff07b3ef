/// A moment in the log. Time is in milliseconds since 1970.
struct Mark: Sendable, Hashable {
    var cursor: UInt64 = 0
    var time: Int64 = 0
}
