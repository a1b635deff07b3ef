/// Why parts of a tree are not watched at present.
struct PathProblems {
    /// The root is missing.
    var root: String?
    /// Watches are missing.
    var watches: String?
    /// Directories that cannot be listed.
    var unreadable: String?
    var unreadableCount = 0
    /// The index has as many entries as allowed.
    var isFull = false
    /// The index on disk cannot be written.
    var disk: String?

    /// The most important one, in a sentence.
    func reason(_ options: PathOptions) -> String? {
        if let root { return root }
        if isFull {
            return "\(options.root) has more than \(options.most) files; raise `most`, or exclude some"
        }
        if let watches { return watches }
        if let unreadable { return unreadableCount > 1 ? "\(unreadable); and \(unreadableCount - 1) more" : unreadable }
        return disk
    }
}
