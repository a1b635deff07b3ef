import Glibc
import JSONRPC
@testable import RxJSON

// Feeds arbitrary bytes to the readers. libFuzzer looks for what simdjson and the views do with memory; the
// preconditions for what they get wrong.

@main
enum JSONFuzz {
    static func main() {
        var count = CommandLine.argc
        var arguments = CommandLine.unsafeArgv
        exit(drive(&count, &arguments) { start, count in fuzz(start, count) })
    }
}

/// libFuzzer's loop, for programs that have a main of their own.
@_silgen_name("LLVMFuzzerRunDriver")
private func drive(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ body: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt

/// The name that libFuzzer links against.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = Array(UnsafeBufferPointer(start: start, count: count))
    let padded = text + [UInt8](repeating: UInt8(ascii: "1"), count: JSONReader.padding)
    padded.withUnsafeBytes { buffer in
        let line = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        let reader = JSONReader()
        withExtendedLifetime(reader) { check(reader, line) }
        let messages = MessageReader()
        withExtendedLifetime(messages) { look(messages.read(line)) }
    }
    return 0
}

private func check(_ reader: JSONReader, _ text: UnsafeRawBufferPointer) {
    let scan = Result { () throws(JSONError) in
        try JSONSyntaxScan.numbersOutOfRange(in: text, depth: reader.limits.depth, reporting: 1)
    }
    do {
        let view = try reader.read(text)
        precondition((try? scan.get())?.isEmpty == true, "simdjson accepts what the scan refuses")
        let tree = view.value()
        let raw = RawJSON(tree)
        precondition(raw.value() == tree, "a tree is not itself after being written and read")
        precondition(RawJSON(unchecked: Array(view.raw)).minified().value() == tree, "minifying changes a value")
    } catch {
        if error.kind == .encoding { return }
        precondition(error.message != "not JSON", "simdjson refuses what the scan accepts")
    }
}

private func look(_ incoming: Incoming) {
    switch incoming {
    case .request(let request): _ = request.params?["input"]?.rawJSON
    case .response(_, let result): _ = result.value()
    case .batch(let messages): messages.forEach(look)
    case .failure, .invalid, .ignored: break
    }
}
