import Rx
import RxAction
import RxJSON
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords

@Suite("An input that is validated ahead", .countedApart)
struct InputValidationTests {
    private static let secret = "hunter2hunter2"
    private static let long = RawJSON(
        unchecked: Array(
            #"{"password":"\#(secret)","rest":"\#(String(repeating: "x", count: 10_000))"}"#.utf8))

    private func host(
        _ puppet: Puppet, schema: String?, faults: [InputFault] = []
    ) throws -> (Host, HostedAction) {
        var definition = puppet.definition()
        definition.validate = { _ in faults }
        definition.schema = try schema.map { try JSONSchema(RawJSON(validating: $0)) }
        let host = Host([definition])
        return (host, try #require(host.registry["puppet"]))
    }

    private static let schema = #"{"properties":{"password":{"type":"string","writeOnly":true}}}"#

    @Test("comes with what is shown of it, its secrets, and its hash: the request makes none of them")
    func ahead() throws {
        let puppet = Puppet()
        let (host, action) = try host(puppet, schema: Self.schema)
        #expect(host.validatesLong(Self.long, for: action))
        let ahead = host.validation(of: Self.long, for: action, isKeyed: true)
        let redaction = try #require(ahead.redaction)
        #expect(!redaction.shown.text.contains(Self.secret) && redaction.mask != nil)
        #expect(ahead.inputHash == host.inputSalt.hash(Self.long))

        // Another hash than the right one shows whose it is.
        let other = InputValidation(
            ahead: Self.long, under: action.currentDefinition, at: 0, InputSalt(low: 1, high: 2))
        var request = ExecutionRequest(input: Self.long, by: .host, key: "k")
        request.validation = other
        let execution = try host.accept(action, request).get().execution
        #expect(execution.key?.inputHash == other.inputHash && other.inputHash != ahead.inputHash)
        let shown = try #require(host.log.record(of: execution).input)
        #expect(address(shown) == address(try #require(other.redaction).shown), "the same text, not an equal one")
        puppet.subject.onError(WorkFailure(message: "no \(Self.secret)"))
        #expect(host.log.record(of: execution).error?.description.contains(Self.secret) == false)
    }

    private func address(_ text: RawJSON) -> UInt {
        text.utf8.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
    }

    @Test("that is not valid is not redacted, and one under another definition is redacted anew, with the same hash")
    func others() throws {
        let puppet = Puppet()
        let (host, action) = try host(
            puppet, schema: #"{"type":"string"}"#, faults: [InputFault(path: "", message: "must be a string")])
        let validation = host.validation(of: Self.long, for: action, isKeyed: true)
        #expect(!validation.faults.isEmpty && validation.redaction == nil)
        var definition = puppet.definition()
        definition.schema = try JSONSchema(RawJSON(validating: Self.schema))
        let later = SharedDefinition(definition)
        let renewed = InputValidation.of(Self.long, validation, under: later, at: 0)
        #expect(renewed.faults.isEmpty && renewed.inputHash == validation.inputHash && renewed.redaction == nil)
    }

    @Test("is long, and has a schema, or a key to hash it for")
    func long() throws {
        let (host, action) = try host(Puppet(), schema: nil)
        #expect(!host.validatesLong(Self.long, for: action))
        #expect(host.validatesLong(Self.long, for: action, isKeyed: true))
        #expect(!host.validatesLong(.null, for: action, isKeyed: true))
    }

    @Test("and fails at once keeps its secrets to itself")
    func brief() throws {
        var definition = ActionDefinition(name: "brief", kind: "test", scheduler: .inline, fingerprint: "") { _ in
            .never()
        }
        definition.answer = { _ in .failure(WorkFailure(message: "no \(Self.secret)")) }
        definition.schema = try JSONSchema(RawJSON(validating: Self.schema))
        let host = Host([definition])
        let action = try #require(host.registry["brief"])
        var request = ExecutionRequest(input: Self.long, by: .host)
        request.validation = host.validation(of: Self.long, for: action)
        guard case .done(let execution) = host.submit(action, request) else { return #expect(Bool(false)) }
        #expect(execution.error?.description == "no \(JSONSchema.redacted)")
    }
}
