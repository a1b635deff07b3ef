import Glibc
import Testing

/// The pictures that were reviewed, in the folder `Golden`.
enum Golden {
    /// Fails unless `text` is what the file contains; with `RX_WRITE_GOLDEN=1`, writes the file instead.
    static func expect(_ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let path = folder + name
        if let flag = getenv("RX_WRITE_GOLDEN"), String(cString: flag) == "1" {
            let file = try #require(fopen(path, "w"))
            fputs(text, file)
            fclose(file)
            return
        }
        let file = try #require(fopen(path, "r"), "\(name) is missing; write it with RX_WRITE_GOLDEN=1")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 { bytes += chunk[..<count] }
        let golden = String(decoding: bytes, as: UTF8.self)
        #expect(golden == text, "\(name) differs; review it after RX_WRITE_GOLDEN=1", sourceLocation: sourceLocation)
    }

    private static let folder = String(#filePath.dropLast("Golden.swift".count)) + "Golden/"
}
