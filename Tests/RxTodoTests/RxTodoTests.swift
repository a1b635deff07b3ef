// RxTodo is tested as a program that uses it would use it.
