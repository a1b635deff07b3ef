/// Decides which paths are in the index, and which are emitted.
struct PathFilter {
    private let include: [PathGlob]
    private let exclude: [PathGlob]
    private let recursive: Bool

    init(_ options: PathOptions) {
        include = options.include
        exclude = options.exclude
        recursive = options.recursive
    }

    /// Whether the directories above a path matter, so that a move of one of them may change the decision.
    var dependsOnDirectories: Bool { (include + exclude).contains { $0.hasSlash } }

    var isEmpty: Bool { include.isEmpty && exclude.isEmpty }

    /// Whether events of a path, relative to the root, are emitted.
    func emits(_ path: ArraySlice<UInt8>) -> Bool {
        (include.isEmpty || include.contains { $0.matches(path) }) && !exclude.contains { $0.matches(path) }
    }

    /// Whether a path has an entry in the index: if it is emitted, or is a directory that is entered.
    func keeps(_ path: ArraySlice<UInt8>, isDirectory: Bool) -> Bool {
        isDirectory && recursive ? !exclude.contains { $0.matches(path) } : emits(path)
    }
}
