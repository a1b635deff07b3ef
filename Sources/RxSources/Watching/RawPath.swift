/// A path as the kernel has it: bytes, which need not be UTF-8, with their terminator.
struct RawPath: Hashable, Sendable {
    private(set) var terminated: [UInt8]

    /// A path without slashes at its end.
    init(_ path: String) {
        var bytes = Array(path.utf8)
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        terminated = bytes + [0]
    }

    /// The bytes without the terminator.
    var bytes: ArraySlice<UInt8> { terminated.dropLast() }

    var count: Int { terminated.count - 1 }

    /// The path as text; what is not UTF-8 is replaced by U+FFFD.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The path without its last component; `/` for a path directly below it.
    var parent: RawPath {
        var parent = self
        let end = bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0
        parent.truncate(to: max(end, 1))
        return parent
    }

    /// The last component.
    var name: ArraySlice<UInt8> {
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return bytes }
        return bytes[(slash + 1)...]
    }

    /// Keeps the first `count` bytes.
    mutating func truncate(to count: Int) {
        terminated.removeSubrange(count..<(terminated.count - 1))
    }

    /// Adds bytes to the end.
    mutating func append(_ more: some Collection<UInt8>) {
        terminated.removeLast()
        terminated.append(contentsOf: more)
        terminated.append(0)
    }

    /// Adds a slash, unless there is one at the end, and a name.
    mutating func append(component name: some Collection<UInt8>) {
        terminated.removeLast()
        if terminated.last != UInt8(ascii: "/") { terminated.append(UInt8(ascii: "/")) }
        terminated.append(contentsOf: name)
        terminated.append(0)
    }

    func appending(component name: some Collection<UInt8>) -> RawPath {
        var path = self
        path.append(component: name)
        return path
    }

    func withPointer<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        terminated.withUnsafeBytes { body($0.assumingMemoryBound(to: CChar.self).baseAddress!) }
    }
}
