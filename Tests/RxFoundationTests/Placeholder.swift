// Filled with the module.
