// RxTodo: the worked example of RxReactor.
