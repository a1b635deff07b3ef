import RxJSON
import RxTerminal
import Testing

@testable import rxctl

@Suite("top draws")
struct TopViewTests {
    @Test("the list with the selected action below it, on 80 columns")
    func standard() throws {
        try GoldenFrame.expect(ExampleTop.frame(ExampleTop.state { $0.move(by: 1) }), "standard")
    }

    @Test("the selected action on the right, on a wide terminal")
    func wide() throws {
        try GoldenFrame.expect(
            ExampleTop.frame(ExampleTop.state { $0.move(by: 1) }, columns: 140, rows: 20), "wide")
    }

    @Test("less and less on smaller terminals", arguments: [(60, 16), (40, 12), (20, 6), (10, 4), (1, 1)])
    func small(columns: Int, rows: Int) throws {
        try GoldenFrame.expect(
            ExampleTop.frame(ExampleTop.state(), columns: columns, rows: rows), "small-\(columns)x\(rows)")
    }

    @Test("one frame for a pipe, without keys")
    func once() throws {
        try GoldenFrame.expect(ExampleTop.frame(ExampleTop.state(), hasKeys: false), "once")
    }

    @Test("a lost daemon, what was last known of it, and why")
    func lost() throws {
        let state = ExampleTop.state { $0.connection = .lost("the daemon closed the connection") }
        try GoldenFrame.expect(ExampleTop.frame(state), "lost")
    }

    @Test("a filter that is being typed")
    func filter() throws {
        let state = ExampleTop.state { state in
            for key: Character in ["/", "e", "p"] { _ = state.press(.character(key)) }
        }
        let frame = ExampleTop.frame(state)
        try GoldenFrame.expect(frame, "filter")
        #expect(frame.cursor?.row == 23 && frame.cursor?.column == 3)
    }

    @Test("a question before executions are canceled, and the command that does it")
    func cancel() throws {
        let state = ExampleTop.state { state in
            state.move(by: 1)
            _ = state.press(.character("x"))
        }
        try GoldenFrame.expect(ExampleTop.frame(state), "cancel")
    }

    @Test("the reason for a switch, quoted in the command")
    func reason() throws {
        let state = ExampleTop.state { state in
            _ = state.press(.character("d"))
            for key in "it's late" { _ = state.press(.character(key)) }
        }
        try GoldenFrame.expect(ExampleTop.frame(state), "reason")
    }

    @Test("a form of a schema")
    func form() throws {
        let state = ExampleTop.state { state in
            var form = TopForm(action: "release", schema: ExampleForm.schema)
            for key in [Key.right, .down, .character("v"), .character("7"), .down] { _ = form.press(key) }
            form.show("count is required: integer, at least 1", field: 2)
            state.mode = .form(form)
        }
        try GoldenFrame.expect(ExampleTop.frame(state), "form")
        let refused = ExampleTop.state { state in
            var form = TopForm(action: "release", schema: ExampleForm.schema)
            form.fault =
                "release is not enabled: switched off since 2026-11-26T11:00:00.000Z by uid 0 (root), pid 4: broken"
            state.mode = .form(form)
        }
        // The last row cuts it before the reason.
        #expect(ExampleTop.frame(refused).text.contains("  (root), pid 4: broken"))
        for rows in 1...24 { #expect(ExampleTop.frame(refused, rows: rows).text.count == rows) }
    }

    @Test("why, over the whole width")
    func why() throws {
        let state = ExampleTop.state { state in
            let long =
                "mail is not enabled: switched off since 2026-11-26T11:00:00.000Z by uid 0 (root): " + "x ".repeated(30)
            state.mode = .text(title: "mail", lines: [long, "3 inputs wait in its queue."], first: 0)
        }
        try GoldenFrame.expect(ExampleTop.frame(state, rows: 10), "why")
        let past = ExampleTop.state { state in
            state.past = TopPast(ExampleLog.page)
            state.mode = .text(title: "mail", lines: ["mail is enabled"], first: 0)
        }
        #expect(ExampleTop.frame(past).text[1].hasPrefix("── why mail, at present ──"))
    }

    @Test("the past: what was in flight, what had ended, and nothing that the log does not have")
    func past() throws {
        let state = ExampleTop.state { state in
            state.move(by: 1)
            state.past = TopPast(ExampleLog.page)
            state.past?.goBack()
        }
        try GoldenFrame.expect(ExampleTop.frame(state), "past")
    }

    @Test("a stream with its firings, and a reactor with its last steps")
    func others() throws {
        var state = ExampleTop.state { $0.move(by: 6) }
        state.details = TopState.Details(
            id: "stream clock",
            value: [
                "stream": "clock", "source": "every 1m", "emitted": 3, "targets": ["backup"],
                "firings": [
                    [
                        "number": 1, "time": .string(ExampleTop.text(ExampleTop.now - 20_000)), "target": "backup",
                        "outcome": "started", "execution": "a",
                    ]
                ],
            ])
        try GoldenFrame.expect(ExampleTop.frame(state), "stream")
        state.details = TopState.Details(id: "stream clock", value: ["source": "every 1m", "emitted": 1])
        #expect(ExampleTop.frame(state).text.contains("every 1m: 1 element"))
        state.move(by: -1)
        state.details = TopState.Details(
            id: "reactor light",
            value: [
                "history": [
                    [
                        "revision": 12, "time": .string(ExampleTop.text(ExampleTop.now - 20_000)),
                        "mutation": ["on": true],
                    ]
                ]
            ])
        try GoldenFrame.expect(ExampleTop.frame(state), "reactor")
    }

    @Test("nothing beyond its edges, whatever the size and the mode")
    func sizes() {
        for columns in [1, 2, 7, 13, 30, 79, 81, 119, 121, 200] {
            for rows in 1...30 {
                for key: Character? in [nil, "/", "x", "d"] {
                    let state = ExampleTop.state { state in
                        state.move(by: 1)
                        if let key { _ = state.press(.character(key)) }
                    }
                    let frame = ExampleTop.frame(state, columns: columns, rows: rows)
                    #expect(frame.text.count == rows)
                    #expect(frame.text.allSatisfy { CellWidth.of($0) <= columns })
                }
            }
        }
    }

    @Test("the selected line within a long list, and always a heading in its first row")
    func scrolling() {
        var state = TopState()
        let items = (0..<1000).map { TopItem(action: ["action": .string("a\($0)"), "inFlight": 0, "enabled": true]) }
        state.take(TopSnapshot(time: ExampleTop.now, items: items))
        for step in [0, 1, 500, 498, -3, -996, 999, -1, 1] {
            state.move(by: step)
            let text = ExampleTop.frame(state).text
            #expect(text[1].hasPrefix("  ACTION"))
            #expect(text.count { $0.hasPrefix("▸ \(state.selected?.name ?? "?") ") } == 1, "\(step)")
        }
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
