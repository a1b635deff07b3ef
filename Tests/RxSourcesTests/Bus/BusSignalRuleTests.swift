import Testing

@testable import RxSources

struct BusSignalRuleTests {
    @Test("a rule has what is given, in the language of the bus")
    func text() throws {
        let all = try BusSignalRule(
            interface: "org.freedesktop.login1.Manager", member: "PrepareForSleep", path: "/org/freedesktop/login1",
            sender: "org.freedesktop.login1")
        #expect(
            all.text
                == "type='signal',interface='org.freedesktop.login1.Manager',member='PrepareForSleep',"
                + "path='/org/freedesktop/login1',sender='org.freedesktop.login1'")
        #expect(try BusSignalRule(member: "Changed").text == "type='signal',member='Changed'")
        #expect(try BusSignalRule(sender: ":1.7").text == "type='signal',sender=':1.7'")
    }

    @Test("a name that could leave its quotes, or is none, is a fault of its key")
    func faults() {
        func fault(_ make: () throws -> BusSignalRule) -> String {
            do {
                return "\(try make())"
            } catch let fault as BusSignalRule.Fault {
                return "\(fault.key ?? "-"): \(fault)"
            } catch {
                return "\(error)"
            }
        }
        #expect(
            fault { try BusSignalRule(member: "a',sender='b") }
                == #"member: "a\',sender=\'b" is not a valid member; write one such as Changed"#)
        #expect(
            fault { try BusSignalRule(interface: "Thing") }
                == #"interface: "Thing" is not a valid interface; write one such as org.example.Thing"#)
        #expect(
            fault { try BusSignalRule(path: "org/x") }
                == #"path: "org/x" is not a valid path; write one such as /org/example/thing"#)
        #expect(
            fault { try BusSignalRule(sender: "") }
                == #"sender: "" is not a valid sender; write one such as org.example.Service or :1.7"#)
        #expect(
            fault { try BusSignalRule() }
                == "-: every signal of the bus would match; give an interface, member, path, or sender")
    }
}
