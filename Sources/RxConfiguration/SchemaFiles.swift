internal import Glibc
internal import RxJSON

/// The files that a schema may refer to: those below the configuration's directory.
///
/// A schema's URI is that of its file, so that its references are relative to the file. Symbolic links below the
/// directory are followed, wherever they lead: who may place them may configure everything else as well.
struct SchemaFiles {
    /// Absolute and without symbolic links, with a slash at its end; nil for a directory that does not exist.
    private let directory: String?

    init(directory: String) {
        self.directory = Self.canonical(directory).map { $0 == "/" ? $0 : $0 + "/" }
    }

    /// The URI of a file, whose name may be relative to the directory; that of the directory itself for an empty name.
    func uri(of name: String) -> String {
        guard name.hasPrefix("/") else { return Self.uri(of: (directory ?? "/") + name) }
        let steps = name.split(separator: "/")
        let parent = "/" + steps.dropLast().joined(separator: "/")
        return Self.uri(of: (Self.canonical(parent) ?? parent) + "/" + (steps.last ?? ""))
    }

    func resolve(_ uri: String) -> JSONSchema.Resolution {
        guard let path = Self.path(of: uri) else { return .unknown }
        guard name(of: path) != nil else { return .failure("is outside the configuration's directory") }
        switch ConfigurationFiles.contents(of: path, atMost: ValueReader.largestSchema) {
        case .failure(let error): return .failure(error.description)
        case .success(let bytes):
            do {
                let limits = JSONLimits(bytes: ValueReader.largestSchema)
                return .document(try RawJSON(validating: bytes, limits: limits).minified())
            } catch {
                return .failure("is not valid JSON: \(error)")
            }
        }
    }

    /// Where a violation of a schema is, as a user reads it: the name of a file and a JSON Pointer, each with a colon.
    /// `name` is that of the schema's own file, empty for a schema that is not in a file.
    func place(_ path: String, in name: String) -> String {
        var parts = [name, path]
        if let hash = path.firstIndex(of: "#"), !path.hasPrefix("/") {
            let uri = String(path[..<hash])
            parts = [Self.path(of: uri).flatMap { self.name(of: $0) } ?? uri, String(path[path.index(after: hash)...])]
        }
        return parts.filter { !$0.isEmpty }.map { $0 + ": " }.joined()
    }

    /// Relative to the directory; nil for a file that is not below it.
    private func name(of path: String) -> String? {
        guard let directory, path.hasPrefix(directory), path.utf8.count > directory.utf8.count else { return nil }
        let name = path.dropFirst(directory.count)
        // Steps that were escaped in the URI are still there.
        return name.split(separator: "/").contains("..") || name.utf8.contains(0) ? nil : String(name)
    }

    private static func canonical(_ path: String) -> String? {
        realpath(path, nil).map { resolved in
            defer { free(resolved) }
            return String(cString: resolved)
        }
    }

    // MARK: URIs

    private static let scheme = "file://"

    private static func path(of uri: String) -> String? {
        uri.hasPrefix(scheme + "/") ? unescaped(String(uri.dropFirst(scheme.count))) : nil
    }

    /// Without the steps `.` and `..`, which would give one file two URIs.
    private static func uri(of path: String) -> String {
        var steps: [Substring] = []
        for step in path.split(separator: "/") where step != "." {
            if step == ".." { _ = steps.popLast() } else { steps.append(step) }
        }
        let slash = path.hasSuffix("/") && !steps.isEmpty ? "/" : ""
        return scheme + "/" + escaped(steps.joined(separator: "/")) + slash
    }

    private static func escaped(_ path: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                text.append(byte)
            default:
                text += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func unescaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let code = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), rest.count >= 2, let value = UInt8(code, radix: 16) {
                rest = rest.dropFirst(2)
                bytes.append(value)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
