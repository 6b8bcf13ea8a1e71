import sys
text = " ".join(f"word{i}" for i in range(1000))
count = 0
for turn in range(int(sys.argv[1]) // 1000):
    count = count + len(text.split())
print(count)
