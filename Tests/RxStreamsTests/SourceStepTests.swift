import RxStreams
import Testing

struct SourceStepTests {
    @Test("a step in a group reads the same source as that of every other group")
    func inGroups() {
        expect(
            [step("groupBy", program("."), ["through": .steps([step("takeUntil", .other)])])],
            given: "ab 1s ab 2s abc", other: "2s x", emits: "ab 1s ab 2s c", values: numbers)
    }

    @Test("`withLatestFrom` drops elements until there is one of the other source")
    func latest() {
        expect(
            [step("withLatestFrom", .other)], given: "a 1s b 1s c |", other: "500ms x 1s y",
            emits: "1s d 1s e|",
            values: [
                "d": #"{"element":"b","latest":"x"}"#, "e": #"{"element":"c","latest":"y"}"#,
            ])
    }

    @Test("`concat` goes on with the other source, from the end of the first on")
    func concat() {
        expect([step("concat", .other)], given: "a 1s |", other: "500ms x 1s y 1s |", emits: "a 1500ms y 1s |")
    }

    @Test("the names of combined sources are the members of their element")
    func combined() {
        let sources = [
            NamedSource(name: "one", source: .kind("subject", "in")),
            NamedSource(name: "two", source: .kind("signal", "USR1")),
        ]
        let rig = { (source: SourceDefinition) in
            Rig(steps: [], source: source).outputs(
                [
                    Input(time: 0, port: 0, value: number(1)), Input(time: 10, port: 0, value: number(2)),
                    Input(time: 20, port: 1, value: number(3)),
                ]
            ).map { "\($0)" }
        }
        #expect(rig(.combineLatest(sources)) == [#"20ms {"one":2,"two":3}"#])
        #expect(rig(.zip(sources)) == [#"20ms {"one":1,"two":3}"#])
        #expect(rig(.merge(sources.map(\.source))) == ["0ms 1", "10ms 2", "20ms 3"])
    }

    @Test("a source of `zip` that is far ahead drops its newest elements and reports them")
    func aheadOfOthers() {
        let environment = TimedExecutions()
        let rig = Rig(
            steps: [],
            source: .zip([
                NamedSource(name: "a", source: .kind("signal", "a")),
                NamedSource(name: "b", source: .kind("signal", "b")),
            ]), environment: environment)
        let inputs = (0..<StreamLimits.pendingElements + 3).map { Input(time: 0, port: 0, value: number($0)) }
        #expect(
            rig.outputs(inputs + [Input(time: 1, port: 1, value: number(1))]).map(\.value) == [json(#"{"a":0,"b":1}"#)])
        #expect(environment.lost == 3)
    }
}
