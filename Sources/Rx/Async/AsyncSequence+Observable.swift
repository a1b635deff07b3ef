extension AsyncSequence where Self: RxSendable, Element: RxSendable {
    /// The elements as an observable. Each subscription iterates anew in its own task, which disposal cancels.
    ///
    /// Grammar: `next* (completed | error)?`. A thrown error ends the sequence; `CancellationError` completes it.
    ///
    /// ```
    /// elements        --1--2--3--|
    /// asObservable()  --1--2--3--|
    /// ```
    ///
    /// - Parameter priority: the priority of the task.
    public func asObservable(priority: TaskPriority? = nil) -> Observable<Element> {
        .create { observer in
            let task = Task(priority: priority) {
                do {
                    for try await element in self {
                        // Not every sequence checks for cancellation.
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
