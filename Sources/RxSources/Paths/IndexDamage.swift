/// Where an index on disk ends before its file does: other bytes were written over a part of it, or its end was lost.
struct IndexDamage: Equatable, CustomStringConvertible {
    /// The name of the index.
    let name: String
    /// The bytes before the first record that cannot be read.
    let offset: Int
    /// The bytes of the file.
    let size: Int
    /// Whether the beginning is lost, and so all of it.
    let isWhole: Bool
    /// Whether there is a copy of the file.
    let isKept: Bool

    /// What is wrong and what follows from it, as one line.
    var description: String {
        let kept = isKept ? "; the file is kept as \(name).damaged" : ""
        if isWhole {
            return size == 0
                ? "\(name): empty: what has changed since the daemon ended is passed over"
                : "\(name): damaged at its beginning: what has changed since the daemon ended is passed over\(kept)"
        }
        return "\(name): damaged at byte \(offset) of \(size): what was recorded after that is emitted again\(kept)"
    }
}
