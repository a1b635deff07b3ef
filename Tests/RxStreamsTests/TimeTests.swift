import RxStreams
import Testing

struct TimeTests {
    @Test("at one moment, what is due comes before the element that arrives")
    func sameMoment() {
        expect([step("debounce", milliseconds(1_000))], given: "a 1s b", emits: "1s a 1s b")
        expect([step("throttle", milliseconds(1_000))], given: "ab 1s c", emits: "a 1s b 1s c")
        expect([step("delay", milliseconds(1_000))], given: "a 1s b |", emits: "1s a 1s b|")
        expect(
            [step("buffer", milliseconds(1_000))], given: "x 1s y", emits: "1s a 1s b",
            values: ["a": #"["x"]"#, "b": #"["y"]"#])
    }

    @Test("`debounce` with `at-most` does not starve under constant activity")
    func atMost() {
        let steps = [step("debounce", milliseconds(300), ["at-most": milliseconds(1_000)])]
        expect(steps, given: "a 200ms b 200ms c 200ms d 200ms e 200ms f 200ms g", emits: "1s e 500ms g")
        expect(steps, given: "a 1s b", emits: "300ms a 1s b")
        expect(steps, given: "a 200ms b|", emits: "200ms b|")
    }

    @Test("`throttle` with `latest` emits the newest element afterwards, also after the end of the source")
    func throttle() {
        expect([step("throttle", milliseconds(1_000))], given: "a 200ms b 200ms c|", emits: "a 1s c|")
        let first = [step("throttle", milliseconds(1_000), ["latest": .boolean(false)])]
        expect(first, given: "a 200ms b 200ms c 1s d |", emits: "a 1400ms d|")
    }

    @Test("`held` emits the newest value once per period without interruption")
    func held() {
        let steps = [step("held", milliseconds(1_000), ["while": program(". > 2", .condition)])]
        expect(steps, given: "a 500ms c 500ms d 500ms e", emits: "1500ms d", values: numbers)
        expect(steps, given: "c 900ms a 200ms d 2s e 2s a 1s f", emits: "2100ms d 5s f", values: numbers)
        expect(steps, given: "c 500ms |", emits: "500ms |", values: numbers)
    }

    @Test("`timeout` emits one element for each silence, from the start on, and no others")
    func timeout() {
        expect(
            [step("timeout", milliseconds(1_000))], given: "500ms x 2s y 500ms z 1500ms |",
            emits: "1500ms a 2500ms b 500ms |",
            values: ["a": #"{"silent":1,"last":"x"}"#, "b": #"{"silent":1,"last":"z"}"#])
        expect(
            [step("timeout", milliseconds(500))], given: "", emits: "500ms a",
            values: ["a": #"{"silent":0.5,"last":null}"#])
    }

    @Test("`sample` emits the newest element when the other source emits")
    func sample() {
        expect([step("sample", .other)], given: "ab 1s c 1s", other: "100ms x 100ms x 1s x", emits: "100ms b 1100ms c")
    }

    @Test("a full `delay` drops the oldest elements and reports them")
    func limit() {
        let environment = TimedExecutions()
        let rig = Rig(steps: [step("delay", milliseconds(1_000))], environment: environment)
        let count = StreamLimits.pendingElements + 5
        let outputs = rig.outputs((0..<count).map { Input(time: 0, value: number($0)) })
        #expect(environment.lost == 5)
        #expect(outputs.count == StreamLimits.pendingElements)
        #expect(outputs.first?.value == number(5))
    }
}
