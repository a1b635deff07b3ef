import Rx

func strictPrograms() {}
