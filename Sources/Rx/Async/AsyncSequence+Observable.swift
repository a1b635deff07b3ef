extension AsyncSequence where Self: Sendable, Element: Sendable {
    /// The elements as an observable. Each subscription iterates anew, in a task of its own that is cancelled by disposal.
    ///
    /// What the iteration throws is the error, but for `CancellationError`, which is the end.
    ///
    /// - Parameter priority: of the task.
    public func asObservable(priority: TaskPriority? = nil) -> Observable<Element> {
        .create { observer in
            let task = Task(priority: priority) {
                do {
                    for try await element in self {
                        // Not every sequence heeds cancellation.
                        if Task.isCancelled { return }
                        observer.onNext(element)
                    }
                    observer.onCompleted()
                } catch is CancellationError {
                    observer.onCompleted()
                } catch {
                    observer.onError(error)
                }
            }
            return Disposables.create(with: task.cancel)
        }
    }
}
