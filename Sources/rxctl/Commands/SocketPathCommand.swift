internal import ArgumentParser

struct SocketPathCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "socket-path",
        abstract: "Prints the path of the socket that commands use.",
        usage: "rxctl socket-path [<options>]")

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try StandardStreams.printLine(SocketPath.resolve(option: options.socket))
    }
}
