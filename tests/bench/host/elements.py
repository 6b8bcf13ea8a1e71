import sys
count = 0
for turn in range(int(sys.argv[1]) // 1000):
    count = count + len([i * i for i in range(1000) if i % 3 == turn % 3])
print(count)
