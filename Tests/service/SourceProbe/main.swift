// Prints what a source emits, one line each, until it is ended by a signal:
//
//     SourceProbe journal FIELD=VALUE…    SourceProbe unit PATTERN
//     SourceProbe bus INTERFACE MEMBER    SourceProbe signal NAME
//
// Each batch is settled at once. Used by the checks with a real systemd.
import Glibc
import RxJSON
import RxLoop
import RxPlatform
import RxSources
import RxStreams

final class Printer: SourceReceiver {
    let printed: @Sendable ([SourceElement]) -> Void

    init(_ printed: @escaping @Sendable ([SourceElement]) -> Void) { self.printed = printed }

    func receive(_ elements: [SourceElement]) {
        for element in elements { line("element \(element.value)") }
        printed(elements)
    }
    func report(waiting reason: String?) { line("waiting \(reason ?? "no more")") }
    func report(error message: String, element: RawJSON?) { line("error \(message)") }
    func report(lost count: Int?) { line("lost \(count ?? 0)") }
    func finish() { line("finished") }

    private func line(_ text: String) {
        print(text)
        fflush(nil)
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
let loop = try EventLoop()
let platform = Platform.system
let source: any StreamSource
switch arguments.first {
case "journal":
    var fields: [String: [String]] = [:]
    for argument in arguments.dropFirst() {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        fields[parts[0], default: []].append(parts[1])
    }
    let journals = Journals(loop: loop, platform: platform, own: .ofThisProcess(clock: platform.wallClock))
    source = JournalSource(try JournalRule(fields), of: journals)
case "unit":
    source = UnitSource(
        try UnitPattern(arguments[1]), of: BusConnections(loop: loop, platform: platform, isUserDaemon: false))
case "bus":
    let buses = BusConnections(loop: loop, platform: platform, isUserDaemon: false)
    source = BusSignalSource(try BusSignalRule(interface: arguments[1], member: arguments[2]), of: buses)
case "signal":
    source = SignalSource(try SignalName(arguments[1]), of: SharedSignals(loop: loop), on: platform)
case _:
    fatalError("usage: SourceProbe journal|unit|bus|signal …")
}
source.start(after: nil, into: Printer { source.settled(through: $0.last?.position) })
loop.run()
