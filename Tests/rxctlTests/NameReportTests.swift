import RxJSON
import RxProtocol
import Testing

@testable import rxctl

struct NameReportTests {
    private let index = NameIndex([
        .action: ["backup", "odd", "add"], .reactor: ["order"], .stream: ["hourly", "backup@1"],
    ])

    private func message(_ use: NameUse, _ names: String...) -> String? {
        NameReport(NameArguments(use, names), index)?.message
    }

    @Test("an unknown name is answered with the nearest ones, those of other kinds included")
    func unknown() {
        #expect(message(.execute, "bakup") == "no such action: bakup; did you mean \"backup\"?")
        #expect(
            message(.execute, "oder")
                == "no such action: oder; did you mean \"odd\" or \"order\", which is a reactor?")
        #expect(
            message(.toggle, "backup@2")
                == "no such action or stream: backup@2; did you mean \"backup\" or \"backup@1\"?")
    }

    @Test("a name like no other is answered with where the names are")
    func nothingNear() {
        #expect(message(.dispatch, "xyz123") == "no such reactor: xyz123; rxctl list --reactors prints the names")
        #expect(
            message(.toggle, "xyz123")
                == "no such action or stream: xyz123; rxctl list and rxctl list --streams print the names")
        #expect(
            message(.describe, "xyz123")
                == "no such action, reactor, or stream: xyz123; rxctl list, with --reactors or "
                + "--streams, prints the names")
    }

    @Test("a name of another kind is answered with the command for it, in every command")
    func wrongNoun() {
        #expect(message(.execute, "order") == "order is a reactor: rxctl dispatch order")
        #expect(message(.dispatch, "backup") == "backup is an action: rxctl execute backup")
        #expect(message(.check, "hourly") == "hourly is a stream: rxctl describe hourly")
        let all: [NameUse] = [
            .execute, .check, .dispatch, .state, .send, .marbles, .toggle, .why, .executions, .history, .subscribe,
            .describe,
        ]
        for use in all {
            for (name, kind) in [("backup", NamedKind.action), ("order", .reactor), ("hourly", .stream)] {
                #expect((message(use, name) == nil) == use.kinds.contains(kind))
            }
        }
    }

    @Test("names of several kinds, and ids among names, are named")
    func mixed() {
        #expect(
            message(.subscribe, "backup", "hourly")
                == "backup is an action, and hourly is a stream: name things of one kind at a time")
        #expect(message(.subscribe, "backup", "odd") == nil && message(.subscribe, "*") == nil)
        let id = "01a1fc74-5543-7000-b6c5-3532564cb263"
        #expect(message(.describe, id) == "\(id) is an execution: rxctl why \(id)")
    }
}

struct IDPartTests {
    @Test("a part is how an id begins, or at least six characters of how it ends")
    func forms() {
        #expect(IDPart("01a1")?.isBegin == true && IDPart("01a1")?.isEnd == false)
        #expect(IDPart("01A1FC74-55")?.text == "01a1fc74-55" && IDPart("01a1fc74-55")?.isEnd == false)
        #expect(IDPart("…564cb263")?.isEnd == true && IDPart("564cb263")?.isBegin == true)
        #expect(IDPart("b6c5-3532564cb263")?.isEnd == true && IDPart("b6c5-3532564cb263")?.isBegin == false)
        for word in ["", "nope", "deploy", "01a1fc74-5543-7000-b6c5-3532564cb263", "-", "4cb2-63", "01a1fc7-4"] {
            #expect(IDPart(word) == nil, "\(word)")
        }
        let range = IDPart("01a1fc74-55")?.range
        #expect(range?.least == "01a1fc74-5500-0000-0000-000000000000")
        #expect(range?.greatest == "01a1fc74-55ff-ffff-ffff-ffffffffffff")
    }
}
