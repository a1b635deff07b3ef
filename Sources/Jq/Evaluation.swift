internal import CJq
internal import Glibc
internal import RxJSON
internal import RxStreams

/// A compiled jq program and its complete evaluation.
///
/// An evaluation always runs to its end, because jq 1.6 does not always survive an early exit. Limits on the number of
/// answers are therefore expressed in jq, around the program.
final class Evaluation {
    /// The most bytes of an input: the longest line that a client accepts.
    static let mostInputBytes = 64 << 20
    /// The most bytes of all answers to one input.
    static let mostAnswerBytes = 16 << 20
    /// The same depth limit as for JSON elsewhere; jq itself recurses without a limit.
    static let depth = JSONLimits.greatestDepth

    private let program: OpaquePointer

    /// `wrap` embeds the program, on lines of its own, in the evaluated program.
    init(_ text: String, in wrap: (String) -> String) throws(JqError) {
        guard text.utf8.count <= ProgramLimits.programBytes else {
            throw .tooLarge(what: "bytes of the program", limit: ProgramLimits.programBytes)
        }
        guard !text.utf8.contains(0) else { throw .invalidProgram(JqProgramFault("a NUL in the program")) }
        // To jq, an empty program is `.`, but not within parentheses.
        let isBlank = text.allSatisfy(\.isWhitespace)
        do {
            program = try Evaluation.compile(wrap(isBlank ? "." : text))
        } catch {
            // Compiles the original text for the error message. Only a program that must stand first can succeed here.
            cjq_free(try Evaluation.compile(text))
            throw .invalidProgram(JqProgramFault("modules cannot be imported"))
        }
    }

    deinit {
        cjq_free(program)
    }

    private static func compile(_ text: String) throws(JqError) -> OpaquePointer {
        var message: UnsafeMutablePointer<CChar>?
        defer { free(message) }
        guard let program = cjq_compile(text, &message) else {
            throw .invalidProgram(
                message.map { JqProgramFault(String(cString: $0), of: text) } ?? JqProgramFault("jq cannot be started"))
        }
        return program
    }

    static func fault(of text: String) -> JqError? {
        do throws(JqError) {
            cjq_free(try compile(text))
            return nil
        } catch {
            return error
        }
    }

    /// Returns what is wrong with each invalid program by its index. The programs are compiled together, which takes
    /// about as long as one; if one is invalid, so are the halves.
    ///
    /// - Parameter fault: what is wrong with the program that has this index; nil if it is valid.
    static func faults<Fault>(in texts: [String], _ fault: (Int) -> Fault?) -> [Int: Fault] {
        var faults: [Int: Fault] = [:]
        func check(_ indices: Range<Int>) {
            guard indices.count > 1 else {
                if let index = indices.first { faults[index] = fault(index) }
                return
            }
            guard !compiles(together: texts[indices]) else { return }
            let middle = indices.lowerBound + indices.count / 2
            check(indices.lowerBound..<middle)
            check(middle..<indices.upperBound)
        }
        check(texts.indices)
        return faults
    }

    private static func compiles(together texts: ArraySlice<String>) -> Bool {
        // A NUL would hide the rest of the program.
        guard texts.allSatisfy({ $0.utf8.count <= ProgramLimits.programBytes && !$0.utf8.contains(0) }) else {
            return false
        }
        let programs = texts.map { strdup($0.allSatisfy(\.isWhitespace) ? "." : $0) }
        defer { programs.forEach { free($0) } }
        guard let together = cjq_together(programs.map { UnsafePointer($0) }, Int32(texts.count)) else { return false }
        defer { free(together) }
        guard let program = try? compile(String(cString: together)) else { return false }
        cjq_free(program)
        return true
    }

    /// Returns the answers and the fault that ended the evaluation early, if any.
    func run(_ input: RawJSON) -> (answers: [RawJSON], fault: JqError?) {
        guard input.utf8.count <= Evaluation.mostInputBytes else {
            return ([], .tooLarge(what: "bytes of the input", limit: Evaluation.mostInputBytes))
        }
        let started = input.utf8.withUnsafeBytes { bytes in
            cjq_start(program, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        guard started == 0 else { return ([], .failed("jq cannot read the input")) }
        var answers: [RawJSON] = []
        var size = 0
        var fault: JqError?
        while true {
            var start: UnsafePointer<CChar>?
            var count = 0
            let outcome = cjq_next(program, Int32(Evaluation.depth), &start, &count)
            let bytes = UnsafeRawBufferPointer(start: start, count: count)
            switch outcome {
            case cjq_answer:
                size += count
                if size > Evaluation.mostAnswerBytes {
                    answers = []
                    fault = fault ?? .tooLarge(what: "bytes of the answers", limit: Evaluation.mostAnswerBytes)
                } else if fault == nil {
                    answers.append(RawJSON(unchecked: Array(bytes)))
                }
            case cjq_too_deep:
                fault = fault ?? .tooLarge(what: "levels of an answer", limit: Evaluation.depth)
            case cjq_error:
                return (answers, fault ?? .failed(String(decoding: bytes, as: UTF8.self)))
            default:
                return (answers, fault)
            }
        }
    }
}
