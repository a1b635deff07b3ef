internal import FoundationEssentials
internal import RxJSON

extension JSONValue {
    /// What the work wrote to its standard error, of a part of an `execution.output`; nil for another part.
    var standardError: [UInt8]? {
        if let text = self["stderr"]?.string { return Array(text.utf8) }
        return self["stderrBase64"]?.string.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }
}
