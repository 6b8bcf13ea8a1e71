import sys
length = 0
for i in range(int(sys.argv[1])):
    text = f"step {i}: loss {i * 0.5:.4f}"
    length = length + len(text)
print(length)
