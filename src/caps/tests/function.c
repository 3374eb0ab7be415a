void function(void) {}
