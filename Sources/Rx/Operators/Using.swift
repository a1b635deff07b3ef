extension ObservableType {
    /// A sequence with its own resource: each subscription creates one and disposes it once, at its end.
    ///
    /// An error that a factory throws ends the sequence; a resource that was created is then disposed as well.
    ///
    /// ```
    /// inner                               --1--2--|
    /// using({ resource }) { _ in inner }  --1--2--|
    /// ```
    #if Migration
        @preconcurrency
    #endif
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
    ) -> Observable<Element> {
        Using(resourceFactory, observableFactory)
    }
}

private final class Using<Element: RxSendable, Resource: Disposable>: Producer<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`.
    let resourceFactory: @Sendable () throws -> Resource
    let observableFactory: @Sendable (Resource) throws -> Observable<Element>

    init(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        _ observableFactory: @escaping @Sendable (Resource) throws -> Observable<Element>
    ) {
        self.resourceFactory = resourceFactory
        self.observableFactory = observableFactory
        super.init()
    }

    override func run(_ stage: Stage<Element>) {
        let resource: Resource
        do {
            resource = try resourceFactory()
        } catch {
            return stage.error(error)
        }
        let sink = UsingSink(stage, resource)
        stage.attach(sink)
        do {
            try observableFactory(resource).run(sink)
        } catch {
            sink.error(error)
        }
    }
}

private final class UsingSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let resource: any Disposable

    init(_ downstream: Stage<Element>, _ resource: any Disposable) {
        self.resource = resource
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        downstream.next(element)
    }

    override func closed() { resource.dispose() }
}
