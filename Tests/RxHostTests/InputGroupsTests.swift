import RxAction
import RxJSON
import RxRecords
import TestSupport
import Testing

@testable import RxHost

@Suite("The group of an input")
struct InputGroupsTests {
    private let puppet = Puppet()
    private let evaluated = Heard<String>()

    private func definition() -> ActionDefinition {
        var definition = puppet.definition()
        definition.groups = InputGroups { [evaluated] input, _ in
            evaluated.add(input.text)
            return input.text == "0" ? .fault("failed: no zero") : .group(input.text)
        }
        return definition
    }

    @Test("is evaluated once, ahead of the request or with it, and not again under the same definition")
    func once() throws {
        let host = Host([definition()])
        let action = try #require(host.registry["puppet"])
        #expect(host.validatesLong(.null, for: action))
        var request = ExecutionRequest(input: RawJSON(1), by: .host)
        request.validation = host.validation(of: request.input, for: action)
        #expect(evaluated.values == ["1"])
        let first = try host.accept(action, request).get().execution
        #expect(evaluated.values == ["1"] && first.group == "1")
        _ = try host.accept(action, ExecutionRequest(input: RawJSON(2), by: .host)).get()
        #expect(evaluated.values == ["1", "2"])
        // Each is refused because of its own group only.
        guard case .failure(.notEnabled(let enabled)) = host.accept(action, request),
            case .executing(first.id, since: _, by: _, inFlight: 1, limit: 1)? = enabled.reason
        else {
            Issue.record("not refused because of its own group")
            return
        }
        #expect(host.log.snapshot(of: [action]).levels[0].enabled.isEnabled)
    }

    @Test("that cannot be found refuses the input, and nothing is in flight")
    func fault() throws {
        let host = Host([definition()])
        let action = try #require(host.registry["puppet"])
        guard case .failure(.input(let faults)) = host.accept(action, ExecutionRequest(input: RawJSON(0), by: .host))
        else {
            Issue.record("it is accepted")
            return
        }
        #expect(
            faults.map(\.message) == ["has no group, because the program `by` of the action failed: no zero"])
        #expect(host.log.inFlight.isEmpty)
    }

    @Test("is not evaluated for an invalid input, and its fault does not show secret values")
    func secrets() throws {
        var definition = definition()
        definition.schema = try JSONSchema(RawJSON(["type": "integer", "writeOnly": true]))
        definition.validate = { $0.text == "3" ? [InputFault(path: "", message: "is three")] : [] }
        let host = Host([definition])
        let action = try #require(host.registry["puppet"])
        guard case .failure(.input) = host.accept(action, ExecutionRequest(input: RawJSON(3), by: .host)),
            evaluated.values.isEmpty,
            case .failure(.input(let faults)) = host.accept(action, ExecutionRequest(input: RawJSON(0), by: .host))
        else {
            Issue.record("it is accepted")
            return
        }
        #expect(faults.first?.message.contains("no zero") == false)
    }
}
