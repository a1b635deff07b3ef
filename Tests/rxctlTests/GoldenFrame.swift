import Glibc
import RxTerminal
import Testing

/// The frames of `top` that were reviewed, in the folder `Frames`: the text of each row, and a bar at its edge.
enum GoldenFrame {
    /// Fails unless the frame is what the file contains; with `RX_WRITE_GOLDEN=1`, writes the file instead.
    static func expect(_ frame: Frame, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let text = frame.text.map { CellWidth.fit($0, frame.columns) + "|\n" }.joined()
        let path = folder + name + ".txt"
        if let flag = getenv("RX_WRITE_GOLDEN"), String(cString: flag) == "1" {
            let file = try #require(fopen(path, "w"))
            fputs(text, file)
            fclose(file)
            return
        }
        let file = try #require(fopen(path, "r"), "\(name) is missing; write it with RX_WRITE_GOLDEN=1")
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        let golden = String(decoding: bytes[..<count], as: UTF8.self)
        #expect(golden == text, "\(name) differs; review it after RX_WRITE_GOLDEN=1", sourceLocation: sourceLocation)
    }

    private static let folder = String(#filePath.dropLast("GoldenFrame.swift".count)) + "Frames/"
}
