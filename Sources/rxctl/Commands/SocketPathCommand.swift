internal import ArgumentParser

struct SocketPathCommand: RxctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "socket-path", abstract: "Prints the socket that commands would use.")

    @OptionGroup var options: GlobalOptions

    func run() throws {
        try StandardStreams.printLine(SocketPath.resolve(option: options.socket))
    }
}
