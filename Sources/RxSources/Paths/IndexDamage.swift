/// What an index on disk lacks: the file is gone, other bytes were written over a part of it, or its end was lost,
/// perhaps in a crash of the machine. An end that was lost between two records is not noticed.
struct IndexDamage: Equatable {
    enum Extent: Equatable {
        /// There is no file, although there was one.
        case missing
        case empty
        /// The beginning, and so all of it.
        case whole
        /// What follows these bytes, of so many.
        case rest(after: Int, of: Int)
    }

    /// The name of the index.
    let name: String
    /// The part that is lost.
    let extent: Extent
    /// Whether there is a copy of the file.
    let isKept: Bool

    /// What is wrong and what follows from it, as one line.
    ///
    /// - Parameter existing: whether the source emits what is there at its first start.
    func text(existing: Bool) -> String {
        let kept = isKept ? "; the file is kept as \(name).damaged" : ""
        let effect =
            existing
            ? "everything that is there is emitted again" : "what has changed since the daemon ended is passed over"
        return switch extent {
        case .missing: "\(name): missing: \(effect)"
        case .empty: "\(name): empty: \(effect)"
        case .whole: "\(name): damaged at its beginning: \(effect)\(kept)"
        case .rest(let offset, let size):
            "\(name): damaged at byte \(offset) of \(size): what was recorded after that is emitted again\(kept)"
        }
    }
}
