# Found as a LibTorch that was built with the old C++ ABI.
set(TORCH_INSTALL_PREFIX /old)
set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=0")
