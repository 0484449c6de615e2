#include "ridgeline/solve/single_node.h"

#include <gtest/gtest.h>
