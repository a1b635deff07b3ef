internal import Rx
package import RxJSON
package import RxStreams

/// The source `subject = true`: emits what clients send. The stream itself takes it, so the source emits nothing.
package final class SubjectSource: StreamSource {
    package init() {}

    package func start(after position: RawJSON?, into receiver: any SourceReceiver) {}
    package func settled(through position: RawJSON?) {}
    package func stop() {}
}
